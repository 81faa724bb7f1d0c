from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0004_lists_in_order")]

    operations = [
        migrations.AddField(
            model_name="futuretrigger",
            name="reason",
            field=models.CharField(
                blank=True, help_text="Why it was called off, if not by hand.", max_length=200, null=True
            ),
        ),
    ]
