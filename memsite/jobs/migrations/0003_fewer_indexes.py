import django.db.models.deletion
from django.db import migrations, models

from memsite.tenancy.indexed_once import WithoutOwnIndex


class Migration(migrations.Migration):
    dependencies = [("jobs", "0002_what_waits_by_its_job"), ("tenancy", "0003_users_apart")]

    operations = [
        WithoutOwnIndex(
            model_name="jobrun",
            name="app",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Empty: the whole site.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenancy.app",
            ),
        ),
    ]
