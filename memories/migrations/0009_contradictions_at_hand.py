from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0008_syllables_in_one_piece")]

    operations = [
        migrations.AddIndex(
            model_name="link",
            index=models.Index(condition=models.Q(("kind", "contradicts")), fields=["app"], name="link_contradicts"),
        ),
    ]
