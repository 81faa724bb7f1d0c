from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [
        migrations.AddIndex(
            model_name="jobrun",
            index=models.Index(
                fields=["job", "app", "until"],
                condition=models.Q(status__in=("pending", "running", "failed")),
                name="job_run_open_of",
            ),
        ),
        migrations.AddIndex(
            model_name="jobrun",
            index=models.Index(
                fields=["lease_until"], condition=models.Q(status="running"), name="job_run_under_way"
            ),
        ),
    ]
